"""In which language? One module a target, each a pure function from program to text."""
