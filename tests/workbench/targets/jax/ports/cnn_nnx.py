import jax
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.conv1 = nnx.Conv(3, 8, (3, 3), padding=1, rngs=rngs)
        self.bn1 = nnx.BatchNorm(8, momentum=0.9, rngs=rngs)
        self.conv2 = nnx.Conv(8, 8, (3, 3), strides=2, padding=1, feature_group_count=2, rngs=rngs)
        self.norm = nnx.GroupNorm(8, num_groups=4, epsilon=1e-5, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)
        self.up = nnx.ConvTranspose(8, 4, (2, 2), strides=2, padding="VALID", rngs=rngs)
        self.fc = nnx.Linear(4, 5, rngs=rngs)

    def __call__(self, x):
        x = jax.nn.relu(self.bn1(self.conv1(x)))
        x = nnx.max_pool(x, (2, 2), strides=(2, 2))
        x = self.drop(jax.nn.silu(self.norm(self.conv2(x))))
        x = self.up(x).mean((1, 2))
        return self.fc(x)


def loss(logits, targets):
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def optimizer(model):
    return nnx.Optimizer(model, optax.sgd(0.05, momentum=0.9, nesterov=True), wrt=nnx.Param)
