"""`python -m motionc.cli` is `motionc`."""

from motionc.cli.main import main

main()
