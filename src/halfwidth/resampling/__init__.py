"""The resampling engine: a sample and a statistic become a bootstrap distribution."""
