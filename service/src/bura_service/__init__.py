"""A gRPC service over bura_core: solves positions, advises players, lists rule sets."""
