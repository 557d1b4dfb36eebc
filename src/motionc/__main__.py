"""`python -m motionc` is `motionc`."""

from motionc.cli.main import main

main()
