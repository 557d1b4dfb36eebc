"""How is it computed? One file a computation, readable next to the textbook page; `steps` are what several share."""
