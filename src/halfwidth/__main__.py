"""``python -m halfwidth``: the command line."""

from halfwidth.cli.main import main

if __name__ == "__main__":
    main()
