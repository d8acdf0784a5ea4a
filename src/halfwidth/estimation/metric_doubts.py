"""placeholder"""


def doubts_about(jobs, targets, cases, policies):
    return jobs
