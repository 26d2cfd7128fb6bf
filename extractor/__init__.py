"""rocQuarry's extractor: from a public interface to its kernels, exactly."""
