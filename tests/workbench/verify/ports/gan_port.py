import paddle
from paddle import nn


class Generator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.up = nn.Conv2DTranspose(8, 8, 4, bias_attr=False)
        self.norm = nn.BatchNorm2D(8)
        self.out = nn.Conv2DTranspose(8, 1, 4, stride=2, padding=1)

    def forward(self, z):
        x = nn.functional.relu(self.norm(self.up(z)))
        return paddle.tanh(self.out(x))


class Discriminator(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2D(1, 8, 4, stride=2, padding=1)
        self.second = nn.Conv2D(8, 8, 4, bias_attr=False)
        self.norm = nn.BatchNorm2D(8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        x = nn.functional.leaky_relu(self.first(x), 0.2)
        x = nn.functional.leaky_relu(self.norm(self.second(x)), 0.2)
        return self.head(x.flatten(1))


net_g, net_d = Generator(), Discriminator()
criterion = nn.BCEWithLogitsLoss()
opt_d = paddle.optimizer.Adam(2e-3, beta1=0.5, beta2=0.99, parameters=net_d.parameters())
opt_g = paddle.optimizer.Adam(1e-3, beta1=0.5, beta2=0.99, parameters=net_g.parameters())

for _ in range(6):
    real = paddle.rand([4, 1, 8, 8]) * 2 - 1
    fake = net_g(paddle.randn([4, 8, 1, 1]))
    opt_d.clear_grad()
    d_loss = criterion(net_d(real), paddle.ones([4, 1]))
    d_loss = d_loss + criterion(net_d(fake.detach()), paddle.zeros([4, 1]))
    d_loss.backward()
    opt_d.step()

    opt_g.clear_grad()
    g_loss = criterion(net_d(fake), paddle.ones([4, 1]))
    g_loss.backward()
    opt_g.step()
