"""How do answers change? Analytic derivatives as sweeps of their own."""
