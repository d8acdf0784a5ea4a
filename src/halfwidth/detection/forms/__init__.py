"""Forms of metrics of detections, and the engines that resample them."""
