"""The entry of a server: hands the ASGI app to whoever runs it, and reads the environment."""

import os

from metacortex.bootstrap import create_app

app = create_app(os.environ)
