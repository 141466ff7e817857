"""`python -m bura`: the same as the command `bura`."""

from bura.cli import main

if __name__ == "__main__":
    main()
