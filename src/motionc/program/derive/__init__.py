"""How does a program change with its inputs? Products with its Jacobian, the Jacobian itself, and where it is zero."""
