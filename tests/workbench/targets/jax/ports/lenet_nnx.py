from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.conv1 = nnx.Conv(1, 6, (5, 5), padding=2, rngs=rngs)
        self.conv2 = nnx.Conv(6, 8, (5, 5), padding="VALID", rngs=rngs)
        self.fc1 = nnx.Linear(8 * 5 * 5, 16, rngs=rngs)
        self.fc2 = nnx.Linear(16, 10, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.conv1(x)), (2, 2), strides=(2, 2))
        x = nnx.max_pool(nnx.relu(self.conv2(x)), (2, 2), strides=(2, 2))
        return self.fc2(nnx.relu(self.fc1(x.reshape(x.shape[0], -1))))
