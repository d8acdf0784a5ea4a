"""Files in, as they stand: cells, voxels and objects; what they mean is known above."""
