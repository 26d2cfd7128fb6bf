"""What BLAS and LAPACK routines do, by definition, and how far a right result may be off."""

from kernels.reference.catalogue import find_operation, operation_names
from kernels.reference.operation import Instance, Operand, Operation, Problem

__all__ = ["Instance", "Operand", "Operation", "Problem", "find_operation", "operation_names"]
