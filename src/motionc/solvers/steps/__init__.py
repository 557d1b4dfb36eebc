"""Operations that several solvers share: motion, wrenches, rows."""
