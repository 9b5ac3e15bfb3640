//! Membranes: forces of a population's cells on their vertices, one law a file.
