"""Every source that the package cites, written once."""

from __future__ import annotations

import re

from halfwidth.core.frozen import frozen


@frozen
class Reference:
    """A published source.

    Attributes
    ----------
    key : str
        The short name by which specs point at it.
    authors, title, venue : str
        As printed; ``venue`` holds volume and pages.
    year : int
    locator : str
        DOI or arXiv number, empty where neither exists.
    """

    key: str
    authors: str
    title: str
    venue: str
    year: int
    locator: str = ""

    @property
    def in_prose(self) -> str:
        """As a text cites it: ``Efron 1987``, ``Clopper and Pearson 1934``, ``DeLong et al. 1988``.

        >>> cite("efron1987").in_prose
        'Efron 1987'
        """
        return f"{self._surnames} {self.year}"

    @property
    def short(self) -> str:
        """As the subject of a sentence: ``Efron (1987)``, ``DeLong et al. (1988)``."""
        return f"{self._surnames} ({self.year})"

    @property
    def _surnames(self) -> str:
        names = [re.sub(r"( [A-Z-]+)+$", "", one) for one in self.authors.split(", ")]
        return " and ".join(names) if len(names) < 3 else f"{names[0]} et al."

    def __str__(self) -> str:
        tail = f" {self.locator}" if self.locator else ""
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return f"{self.authors} ({self.year}). {title} {self.venue}.{tail}"


_ALL = (
    Reference(
        "agresti_coull1998",
        "Agresti A, Coull BA",
        "Approximate is better than 'exact' for interval estimation of binomial proportions",
        "The American Statistician 52(2):119-126",
        1998,
    ),
    Reference(
        "andre2025",
        "André P, Heitz C, Christodoulou E, et al.",
        "Performance uncertainty in medical image analysis: a large-scale investigation of "
        "confidence intervals",
        "Working paper",
        2025,
    ),
    Reference(
        "austin_steyerberg2019",
        "Austin PC, Steyerberg EW",
        "The Integrated Calibration Index (ICI) and related metrics for quantifying the "
        "calibration of logistic regression models",
        "Statistics in Medicine 38(21):4051-4065",
        2019,
        "doi:10.1002/sim.8281",
    ),
    Reference(
        "bamber1975",
        "Bamber D",
        "The area above the ordinal dominance graph and the area below the receiver operating "
        "characteristic graph",
        "Journal of Mathematical Psychology 12(4):387-415",
        1975,
        "doi:10.1016/0022-2496(75)90001-2",
    ),
    Reference(
        "bandos2005",
        "Bandos AI, Rockette HE, Gur D",
        "A permutation test sensitive to differences in areas for comparing ROC curves from a "
        "paired design",
        "Statistics in Medicine 24(18):2873-2893",
        2005,
    ),
    Reference(
        "bengio2004",
        "Bengio Y, Grandvalet Y",
        "No unbiased estimator of the variance of K-fold cross-validation",
        "Journal of Machine Learning Research 5:1089-1105",
        2004,
    ),
    Reference(
        "benjamini_hochberg1995",
        "Benjamini Y, Hochberg Y",
        "Controlling the false discovery rate: a practical and powerful approach to multiple "
        "testing",
        "Journal of the Royal Statistical Society B 57(1):289-300",
        1995,
    ),
    Reference(
        "beran1988",
        "Beran R",
        "Balanced simultaneous confidence sets",
        "Journal of the American Statistical Association 83(403):679-686",
        1988,
        "doi:10.1080/01621459.1988.10478648",
    ),
    Reference(
        "besag1995",
        "Besag J, Green P, Higdon D, Mengersen K",
        "Bayesian computation and stochastic systems",
        "Statistical Science 10(1):3-41",
        1995,
    ),
    Reference(
        "bland1999",
        "Bland JM, Altman DG",
        "Measuring agreement in method comparison studies",
        "Statistical Methods in Medical Research 8(2):135-160",
        1999,
        "doi:10.1177/096228029900800204",
    ),
    Reference(
        "bland2007",
        "Bland JM, Altman DG",
        "Agreement between methods of measurement with multiple observations per individual",
        "Journal of Biopharmaceutical Statistics 17(4):571-582",
        2007,
        "doi:10.1080/10543400701329422",
    ),
    Reference(
        "brocker2007",
        "Bröcker J, Smith LA",
        "Increasing the reliability of reliability diagrams",
        "Weather and Forecasting 22(3):651-661",
        2007,
        "doi:10.1175/WAF993.1",
    ),
    Reference(
        "carkeet2015",
        "Carkeet A",
        "Exact parametric confidence intervals for Bland-Altman limits of agreement",
        "Optometry and Vision Science 92(3):e71-e80",
        2015,
        "doi:10.1097/OPX.0000000000000513",
    ),
    Reference(
        "blasiok2024",
        "Błasiok J, Nakkiran P",
        "Smooth ECE: principled reliability diagrams via kernel smoothing",
        "International Conference on Learning Representations",
        2024,
        "arXiv:2309.12236",
    ),
    Reference(
        "brackett_rozinsky_lemire2024",
        "Brackett-Rozinsky N, Lemire D",
        "Batched ranged random integer generation",
        "Software: Practice and Experience",
        2024,
        "doi:10.1002/spe.3369",
    ),
    Reference(
        "brier1950",
        "Brier GW",
        "Verification of forecasts expressed in terms of probability",
        "Monthly Weather Review 78(1):1-3",
        1950,
    ),
    Reference(
        "brown2001",
        "Brown LD, Cai TT, DasGupta A",
        "Interval estimation for a binomial proportion",
        "Statistical Science 16(2):101-133",
        2001,
        "doi:10.1214/ss/1009213286",
    ),
    Reference(
        "cameron_miller2015",
        "Cameron AC, Miller DL",
        "A practitioner's guide to cluster-robust inference",
        "Journal of Human Resources 50(2):317-372",
        2015,
        "doi:10.3368/jhr.50.2.317",
    ),
    Reference(
        "carter2017",
        "Carter AV, Schnepel KT, Steigerwald DG",
        "Asymptotic behavior of a t-test robust to cluster heterogeneity",
        "Review of Economics and Statistics 99(4):698-709",
        2017,
        "doi:10.1162/REST_a_00639",
    ),
    Reference(
        "chakraborty_berbaum2004",
        "Chakraborty DP, Berbaum KS",
        "Observer studies involving detection and localization: modeling, analysis, and validation",
        "Medical Physics 31(8):2313-2330",
        2004,
        "doi:10.1118/1.1769352",
    ),
    Reference(
        "chakraborty_zhai2016",
        "Chakraborty DP, Zhai X",
        "On the meaning of the weighted alternative free-response operating characteristic "
        "figure of merit",
        "Medical Physics 43(5):2548-2557",
        2016,
        "doi:10.1118/1.4947125",
    ),
    Reference(
        "cheng2021",
        "Cheng B, Girshick R, Dollár P, Berg AC, Kirillov A",
        "Boundary IoU: improving object-centric image segmentation evaluation",
        "CVPR",
        2021,
        "arXiv:2103.16562",
    ),
    Reference(
        "christodoulou2024",
        "Christodoulou E, Reinke A, Houhou R, et al.",
        "Confidence intervals uncovered: are we ready for real-world medical imaging AI?",
        "Medical Image Computing and Computer-Assisted Intervention (MICCAI): 124-132",
        2024,
    ),
    Reference(
        "clopper_pearson1934",
        "Clopper CJ, Pearson ES",
        "The use of confidence or fiducial limits illustrated in the case of the binomial",
        "Biometrika 26(4):404-413",
        1934,
        "doi:10.1093/biomet/26.4.404",
    ),
    Reference(
        "cochran1977",
        "Cochran WG",
        "Sampling techniques, 3rd edition",
        "Wiley",
        1977,
    ),
    Reference(
        "cohen1968",
        "Cohen J",
        "Weighted kappa: nominal scale agreement with provision for scaled disagreement or "
        "partial credit",
        "Psychological Bulletin 70(4):213-220",
        1968,
        "doi:10.1037/h0026256",
    ),
    Reference(
        "cowan2011",
        "Cowan G, Cranmer K, Gross E, Vitells O",
        "Power-constrained limits",
        "arXiv preprint",
        2011,
        "arXiv:1105.3166",
    ),
    Reference(
        "cox1958",
        "Cox DR",
        "Two further applications of a model for binary regression",
        "Biometrika 45(3/4):562-565",
        1958,
        "doi:10.1093/biomet/45.3-4.562",
    ),
    Reference(
        "davis_goadrich2006",
        "Davis J, Goadrich M",
        "The relationship between precision-recall and ROC curves",
        "Proceedings of the 23rd International Conference on Machine Learning, 233-240",
        2006,
        "doi:10.1145/1143844.1143874",
    ),
    Reference(
        "davison_hinkley1997",
        "Davison AC, Hinkley DV",
        "Bootstrap methods and their application",
        "Cambridge University Press",
        1997,
    ),
    Reference(
        "debray2017",
        "Debray TPA, Damen JAAG, Snell KIE, Ensor J, Hooft L, Reitsma JB, Riley RD, Moons KGM",
        "A guide to systematic review and meta-analysis of prediction model performance",
        "BMJ 356:i6460",
        2017,
        "doi:10.1136/bmj.i6460",
    ),
    Reference(
        "delong1988",
        "DeLong ER, DeLong DM, Clarke-Pearson DL",
        "Comparing the areas under two or more correlated receiver operating characteristic "
        "curves: a nonparametric approach",
        "Biometrics 44(3):837-845",
        1988,
        "doi:10.2307/2531595",
    ),
    Reference(
        "dice1945",
        "Dice LR",
        "Measures of the amount of ecologic association between species",
        "Ecology 26(3):297-302",
        1945,
        "doi:10.2307/1932409",
    ),
    Reference(
        "dimitriadis2021",
        "Dimitriadis T, Gneiting T, Jordan AI",
        "Stable reliability diagrams for probabilistic classifiers",
        "Proceedings of the National Academy of Sciences 118(8):e2016191118",
        2021,
        "doi:10.1073/pnas.2016191118",
    ),
    Reference(
        "donner_zou2012",
        "Donner A, Zou GY",
        "Closed-form confidence intervals for functions of the normal mean and standard deviation",
        "Statistical Methods in Medical Research 21(4):347-359",
        2012,
        "doi:10.1177/0962280210383082",
    ),
    Reference(
        "efron1987",
        "Efron B",
        "Better bootstrap confidence intervals",
        "Journal of the American Statistical Association 82(397):171-185",
        1987,
        "doi:10.1080/01621459.1987.10478410",
    ),
    Reference(
        "efron_tibshirani1993",
        "Efron B, Tibshirani RJ",
        "An introduction to the bootstrap",
        "Chapman & Hall",
        1993,
    ),
    Reference(
        "ehteshami_bejnordi2017",
        "Ehteshami Bejnordi B, Veta M, van Diest PJ, et al.",
        "Diagnostic assessment of deep learning algorithms for detection of lymph node "
        "metastases in women with breast cancer",
        "JAMA 318(22):2199-2210",
        2017,
        "doi:10.1001/jama.2017.14585",
    ),
    Reference(
        "eljurdi2023",
        "El Jurdi R, Colliot O",
        "How precise are performance estimates for typical medical image segmentation tasks?",
        "IEEE International Symposium on Biomedical Imaging",
        2023,
    ),
    Reference(
        "eljurdi2025",
        "El Jurdi R, Varoquaux G, Colliot O",
        "Confidence intervals for performance estimates in brain MRI segmentation",
        "Medical Image Analysis",
        2025,
    ),
    Reference(
        "epanechnikov1969",
        "Epanechnikov VA",
        "Non-parametric estimation of a multivariate probability density",
        "Theory of Probability & Its Applications 14(1):153-158",
        1969,
        "doi:10.1137/1114019",
    ),
    Reference(
        "everingham2006",
        "Everingham M, Zisserman A, Williams CKI, et al.",
        "The 2005 PASCAL visual object classes challenge",
        "Machine Learning Challenges, Springer LNCS 3944:117-176",
        2006,
        "doi:10.1007/11736790_8",
    ),
    Reference(
        "everingham2015",
        "Everingham M, Eslami SMA, Van Gool L, et al.",
        "The Pascal Visual Object Classes challenge: a retrospective",
        "International Journal of Computer Vision 111(1):98-136",
        2015,
        "doi:10.1007/s11263-014-0733-5",
    ),
    Reference(
        "fagerland2013",
        "Fagerland MW, Lydersen S, Laake P",
        "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than "
        "exact conditional",
        "BMC Medical Research Methodology 13:91",
        2013,
    ),
    Reference(
        "fawcett2006",
        "Fawcett T",
        "An introduction to ROC analysis",
        "Pattern Recognition Letters 27(8):861-874",
        2006,
        "doi:10.1016/j.patrec.2005.10.010",
    ),
    Reference(
        "ferrer2025",
        "Ferrer L",
        "No need for ad-hoc substitutes: the expected cost is a principled all-purpose "
        "classification metric",
        "Transactions on Machine Learning Research",
        2025,
    ),
    Reference(
        "gaffke2005",
        "Gaffke N",
        "Three test statistics for a nonparametric one-sided hypothesis on the mean of a "
        "nonnegative variable",
        "Mathematical Methods of Statistics 14(4):451-467",
        2005,
    ),
    Reference(
        "garwood1936",
        "Garwood F",
        "Fiducial limits for the Poisson distribution",
        "Biometrika 28(3/4):437-442",
        1936,
        "doi:10.1093/biomet/28.3-4.437",
    ),
    Reference(
        "gil_pelaez1951",
        "Gil-Pelaez J",
        "Note on the inversion theorem",
        "Biometrika 38(3-4):481-482",
        1951,
        "doi:10.1093/biomet/38.3-4.481",
    ),
    Reference(
        "good1952",
        "Good IJ",
        "Rational decisions",
        "Journal of the Royal Statistical Society B 14(1):107-114",
        1952,
    ),
    Reference(
        "gorodkin2004",
        "Gorodkin J",
        "Comparing two K-category assignments by a K-category correlation coefficient",
        "Computational Biology and Chemistry 28(5-6):367-374",
        2004,
        "doi:10.1016/j.compbiolchem.2004.09.006",
    ),
    Reference(
        "gurcan2010",
        "Gurcan MN, Madabhushi A, Rajpoot N",
        "Pattern recognition in histopathological images: an ICPR 2010 contest",
        "Recognizing Patterns in Signals, Speech, Images and Videos, Springer LNCS 6388:226-234",
        2010,
    ),
    Reference(
        "hall1992",
        "Hall P",
        "On the removal of skewness by transformation",
        "Journal of the Royal Statistical Society B 54(1):221-228",
        1992,
    ),
    Reference(
        "hall2013",
        "Hall P",
        "The bootstrap and Edgeworth expansion",
        "Springer",
        2013,
    ),
    Reference(
        "hanley_mcneil1982",
        "Hanley JA, McNeil BJ",
        "The meaning and use of the area under a receiver operating characteristic (ROC) curve",
        "Radiology 143(1):29-36",
        1982,
        "doi:10.1148/radiology.143.1.7063747",
    ),
    Reference(
        "hannig2009",
        "Hannig J",
        "On generalized fiducial inference",
        "Statistica Sinica 19(2):491-544",
        2009,
        "",
    ),
    Reference(
        "harrell2015",
        "Harrell FE",
        "Regression Modeling Strategies",
        "2nd edition, Springer",
        2015,
        "doi:10.1007/978-3-319-19425-7",
    ),
    Reference(
        "hartung2001",
        "Hartung J, Knapp G",
        "A refined method for the meta-analysis of controlled clinical trials with binary outcome",
        "Statistics in Medicine 20(24):3875-3889",
        2001,
        "doi:10.1002/sim.1009",
    ),
    Reference(
        "hesterberg2015",
        "Hesterberg TC",
        "What teachers should know about the bootstrap: resampling in the undergraduate statistics "
        "curriculum",
        "The American Statistician 69(4):371-386",
        2015,
        "doi:10.1080/00031305.2015.1089789",
    ),
    Reference(
        "higgins2009",
        "Higgins JPT, Thompson SG, Spiegelhalter DJ",
        "A re-evaluation of random-effects meta-analysis",
        "Journal of the Royal Statistical Society A 172(1):137-159",
        2009,
        "doi:10.1111/j.1467-985X.2008.00552.x",
    ),
    Reference(
        "hoeffding1963",
        "Hoeffding W",
        "Probability inequalities for sums of bounded random variables",
        "Journal of the American Statistical Association 58(301):13-30",
        1963,
        "doi:10.1080/01621459.1963.10500830",
    ),
    Reference(
        "holm1979",
        "Holm S",
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics 6(2):65-70",
        1979,
    ),
    Reference(
        "hosmer1980",
        "Hosmer DW, Lemeshow S",
        "Goodness of fit tests for the multiple logistic regression model",
        "Communications in Statistics - Theory and Methods 9(10):1043-1069",
        1980,
        "doi:10.1080/03610928008827941",
    ),
    Reference(
        "hutson2002",
        "Hutson AD",
        "A semi-parametric quantile function estimator for use in bootstrap estimation procedures",
        "Statistics and Computing 12:331-338",
        2002,
    ),
    Reference(
        "huttenlocher1993",
        "Huttenlocher DP, Klanderman GA, Rucklidge WJ",
        "Comparing images using the Hausdorff distance",
        "IEEE Transactions on Pattern Analysis and Machine Intelligence 15(9):850-863",
        1993,
        "doi:10.1109/34.232073",
    ),
    Reference(
        "hyndman_fan1996",
        "Hyndman RJ, Fan Y",
        "Sample quantiles in statistical packages",
        "The American Statistician 50(4):361-365",
        1996,
    ),
    Reference(
        "imhof1961",
        "Imhof JP",
        "Computing the distribution of quadratic forms in normal variables",
        "Biometrika 48(3-4):419-426",
        1961,
        "doi:10.1093/biomet/48.3-4.419",
    ),
    Reference(
        "jaccard1912",
        "Jaccard P",
        "The distribution of the flora in the alpine zone",
        "New Phytologist 11(2):37-50",
        1912,
        "doi:10.1111/j.1469-8137.1912.tb05611.x",
    ),
    Reference(
        "janssen1997",
        "Janssen A",
        "Studentized permutation tests for non-i.i.d. hypotheses and the generalized "
        "Behrens-Fisher problem",
        "Statistics & Probability Letters 36(1):9-21",
        1997,
    ),
    Reference(
        "kirillov2019",
        "Kirillov A, He K, Girshick R, Rother C, Dollár P",
        "Panoptic segmentation",
        "Conference on Computer Vision and Pattern Recognition, 9404-9413",
        2019,
        "arXiv:1801.00868",
    ),
    Reference(
        "kish1965",
        "Kish L",
        "Survey sampling",
        "Wiley",
        1965,
    ),
    Reference(
        "korn_graubard1998",
        "Korn EL, Graubard BI",
        "Confidence intervals for proportions with small expected number of positive counts "
        "estimated from survey data",
        "Survey Methodology 24(2):193-201",
        1998,
    ),
    Reference(
        "kuhn1955",
        "Kuhn HW",
        "The Hungarian method for the assignment problem",
        "Naval Research Logistics Quarterly 2(1-2):83-97",
        1955,
        "doi:10.1002/nav.3800020109",
    ),
    Reference(
        "kumar2019",
        "Kumar A, Liang PS, Ma T",
        "Verified uncertainty calibration",
        "Advances in Neural Information Processing Systems 32",
        2019,
        "arXiv:1909.10155",
    ),
    Reference(
        "kupper_hafner1989",
        "Kupper LL, Hafner KB",
        "How appropriate are popular sample size formulas?",
        "The American Statistician 43(2):101-105",
        1989,
    ),
    Reference(
        "learned_miller_thomas2019",
        "Learned-Miller E, Thomas PS",
        "A new confidence interval for the mean of a bounded random variable",
        "arXiv preprint",
        2019,
        "arXiv:1905.06208",
    ),
    Reference(
        "lehmann2025",
        "Lehmann C, Paromau Y",
        "Quantifying uncertainty and variability in machine learning: confidence intervals for "
        "quantiles in performance metric distributions",
        "Preprint",
        2025,
    ),
    Reference(
        "lilliefors1967",
        "Lilliefors HW",
        "On the Kolmogorov-Smirnov test for normality with mean and variance unknown",
        "Journal of the American Statistical Association 62(318):399-402",
        1967,
        "doi:10.1080/01621459.1967.10482916",
    ),
    Reference(
        "lin2014",
        "Lin TY, Maire M, Belongie S, et al.",
        "Microsoft COCO: common objects in context",
        "European Conference on Computer Vision, 740-755",
        2014,
        "doi:10.1007/978-3-319-10602-1_48",
    ),
    Reference(
        "lorensen_cline1987",
        "Lorensen WE, Cline HE",
        "Marching cubes: a high resolution 3D surface construction algorithm",
        "ACM SIGGRAPH Computer Graphics 21(4):163-169",
        1987,
        "doi:10.1145/37402.37422",
    ),
    Reference(
        "maier_hein2024",
        "Maier-Hein L, Reinke A, Godau P, et al.",
        "Metrics reloaded: recommendations for image analysis validation",
        "Nature Methods 21:195-212",
        2024,
        "doi:10.1038/s41592-023-02151-z",
    ),
    Reference(
        "marsaglia_tsang2000",
        "Marsaglia G, Tsang WW",
        "A simple method for generating gamma variables",
        "ACM Transactions on Mathematical Software 26(3):363-372",
        2000,
        "doi:10.1145/358407.358414",
    ),
    Reference(
        "maska2014",
        "Maška M, Ulman V, Svoboda D, et al.",
        "A benchmark for comparison of cell tracking algorithms",
        "Bioinformatics 30(11):1609-1617",
        2014,
        "doi:10.1093/bioinformatics/btu080",
    ),
    Reference(
        "maurer_pontil2009",
        "Maurer A, Pontil M",
        "Empirical Bernstein bounds and sample-variance penalization",
        "COLT",
        2009,
        "arXiv:0907.3740",
    ),
    Reference(
        "mcclish1989",
        "McClish DK",
        "Analyzing a portion of the ROC curve",
        "Medical Decision Making 9(3):190-195",
        1989,
        "doi:10.1177/0272989X8900900307",
    ),
    Reference(
        "mcsherry_najork2008",
        "McSherry F, Najork M",
        "Computing information retrieval performance measures efficiently in the presence of tied "
        "scores",
        "European Conference on Information Retrieval, LNCS 4956:414-421",
        2008,
        "doi:10.1007/978-3-540-78646-7_38",
    ),
    Reference(
        "mcnemar1947",
        "McNemar Q",
        "Note on the sampling error of the difference between correlated proportions or "
        "percentages",
        "Psychometrika 12(2):153-157",
        1947,
    ),
    Reference(
        "mercaldo2007",
        "Mercaldo ND, Lau KF, Zhou XH",
        "Confidence intervals for predictive values with an emphasis to case-control studies",
        "Statistics in Medicine 26(10):2170-2183",
        2007,
        "doi:10.1002/sim.2677",
    ),
    Reference(
        "miller1993",
        "Miller ME, Langefeld CD, Tierney WM, Hui SL, McDonald CJ",
        "Validation of probabilistic predictions",
        "Medical Decision Making 13(1):49-57",
        1993,
        "doi:10.1177/0272989X9301300107",
    ),
    Reference(
        "moawad2023",
        "Moawad AW, Janas A, Baid U, et al.",
        "The Brain Tumor Segmentation - Metastases (BraTS-METS) challenge 2023: brain metastasis "
        "segmentation on pre-treatment MRI",
        "arXiv preprint",
        2023,
        "arXiv:2306.00838",
    ),
    Reference(
        "mogstad2024",
        "Mogstad M, Romano JP, Shaikh AM, Wilhelm D",
        "Inference for ranks with applications to mobility across neighbourhoods and academic "
        "achievement across countries",
        "Review of Economic Studies 91(1):476-518",
        2024,
    ),
    Reference(
        "mori1994",
        "Móri TF, Rohatgi VK, Székely GJ",
        "On multivariate skewness and kurtosis",
        "Theory of Probability & Its Applications 38(3):547-551",
        1994,
        "doi:10.1137/1138055",
    ),
    Reference(
        "murphy1973",
        "Murphy AH",
        "A new vector partition of the probability score",
        "Journal of Applied Meteorology 12(4):595-600",
        1973,
    ),
    Reference(
        "naeini2015",
        "Naeini MP, Cooper GF, Hauskrecht M",
        "Obtaining well calibrated probabilities using Bayesian binning",
        "Proceedings of the 29th AAAI Conference on Artificial Intelligence, 2901-2907",
        2015,
    ),
    Reference(
        "nakagawa_schielzeth2013",
        "Nakagawa S, Schielzeth H",
        "A general and simple method for obtaining R² from generalized linear mixed-effects models",
        "Methods in Ecology and Evolution 4(2):133-142",
        2013,
        "doi:10.1111/j.2041-210x.2012.00261.x",
    ),
    Reference(
        "newcombe1998",
        "Newcombe RG",
        "Interval estimation for the difference between independent proportions: comparison of "
        "eleven methods",
        "Statistics in Medicine 17(8):873-890",
        1998,
        "doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I",
    ),
    Reference(
        "newcombe1998_paired",
        "Newcombe RG",
        "Improved confidence intervals for the difference between binomial proportions based on "
        "paired data",
        "Statistics in Medicine 17(22):2635-2650",
        1998,
        "doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C",
    ),
    Reference(
        "newcombe2006",
        "Newcombe RG",
        "Confidence intervals for an effect size measure based on the Mann-Whitney statistic. "
        "Part 2: asymptotic methods and evaluation",
        "Statistics in Medicine 25(4):559-573",
        2006,
        "doi:10.1002/sim.2324",
    ),
    Reference(
        "nikolov2021",
        "Nikolov S, Blackwell S, Zverovitch A, et al.",
        "Clinically applicable segmentation of head and neck anatomy for radiotherapy",
        "Journal of Medical Internet Research 23(7):e26151",
        2021,
        "doi:10.2196/26151",
    ),
    Reference(
        "obuchowski1997",
        "Obuchowski NA",
        "Nonparametric analysis of clustered ROC curve data",
        "Biometrics 53(2):567-578",
        1997,
        "doi:10.2307/2533958",
    ),
    Reference(
        "owen1956",
        "Owen DB",
        "Tables for computing bivariate normal probabilities",
        "Annals of Mathematical Statistics 27(4):1075-1090",
        1956,
        "doi:10.1214/aoms/1177728074",
    ),
    Reference(
        "pepe2003",
        "Pepe MS",
        "The statistical evaluation of medical tests for classification and prediction",
        "Oxford University Press",
        2003,
    ),
    Reference(
        "phipson_smyth2010",
        "Phipson B, Smyth GK",
        "Permutation p-values should never be zero: calculating exact p-values when permutations "
        "are randomly drawn",
        "Statistical Applications in Genetics and Molecular Biology 9(1):39",
        2010,
        "doi:10.2202/1544-6115.1585",
    ),
    Reference(
        "popordanoska2022",
        "Popordanoska T, Sayer R, Blaschko MB",
        "A consistent and differentiable Lp canonical calibration error estimator",
        "Advances in Neural Information Processing Systems 35, 7933-7946",
        2022,
        "arXiv:2210.07810",
    ),
    Reference(
        "reinke2024",
        "Reinke A, Tizabi MD, Baumgartner M, et al.",
        "Understanding metric-related pitfalls in image analysis validation",
        "Nature Methods 21:182-194",
        2024,
        "doi:10.1038/s41592-023-02150-0",
    ),
    Reference(
        "riley2021",
        "Riley RD, Debray TPA, Collins GS, Archer L, Ensor J, van Smeden M, Snell KIE",
        "Minimum sample size for external validation of a clinical prediction model with a binary "
        "outcome",
        "Statistics in Medicine 40(19):4230-4251",
        2021,
        "doi:10.1002/sim.9025",
    ),
    Reference(
        "riley2024",
        "Riley RD, Snell KIE, Archer L, et al.",
        "Evaluation of clinical prediction models (part 3): calculating the sample size required "
        "for an external validation study",
        "BMJ 384:e074821",
        2024,
        "doi:10.1136/bmj-2023-074821",
    ),
    Reference(
        "romano_wolf2005",
        "Romano JP, Wolf M",
        "Exact and approximate stepdown methods for multiple hypothesis testing",
        "Journal of the American Statistical Association 100(469):94-108",
        2005,
    ),
    Reference(
        "rubin1981",
        "Rubin DB",
        "The Bayesian bootstrap",
        "The Annals of Statistics 9(1):130-134",
        1981,
        "doi:10.1214/aos/1176345338",
    ),
    Reference(
        "salmon2011",
        "Salmon JK, Moraes MA, Dror RO, Shaw DE",
        "Parallel random numbers: as easy as 1, 2, 3",
        "SC '11",
        2011,
        "doi:10.1145/2063384.2063405",
    ),
    Reference(
        "saluja2023",
        "Saluja R",
        "BraTS 2023 lesion-wise performance metrics for segmentation challenges",
        "github.com/rachitsaluja/BraTS-2023-Metrics",
        2023,
    ),
    Reference(
        "satterthwaite1946",
        "Satterthwaite FE",
        "An approximate distribution of estimates of variance components",
        "Biometrics Bulletin 2(6):110-114",
        1946,
        "doi:10.2307/3002019",
    ),
    Reference(
        "sethuraman1994",
        "Sethuraman J",
        "A constructive definition of Dirichlet priors",
        "Statistica Sinica 4(2):639-650",
        1994,
    ),
    Reference(
        "setio2017",
        "Setio AAA, Traverso A, de Bel T, et al.",
        "Validation, comparison, and combination of algorithms for automatic detection of "
        "pulmonary nodules in computed tomography images: the LUNA16 challenge",
        "Medical Image Analysis 42:1-13",
        2017,
        "doi:10.1016/j.media.2017.06.015",
    ),
    Reference(
        "shit2021",
        "Shit S, Paetzold JC, Sekuboyina A, et al.",
        "clDice: a novel topology-preserving loss function for tubular structure segmentation",
        "CVPR",
        2021,
        "arXiv:2003.07311",
    ),
    Reference(
        "simel1991",
        "Simel DL, Samsa GP, Matchar DB",
        "Likelihood ratios with confidence: sample size estimation for diagnostic test studies",
        "Journal of Clinical Epidemiology 44(8):763-770",
        1991,
        "doi:10.1016/0895-4356(91)90128-V",
    ),
    Reference(
        "spiegelhalter1986",
        "Spiegelhalter DJ",
        "Probabilistic prediction in patient management and clinical trials",
        "Statistics in Medicine 5(5):421-433",
        1986,
        "doi:10.1002/sim.4780050506",
    ),
    Reference(
        "student1908",
        "Student",
        "The probable error of a mean",
        "Biometrika 6(1):1-25",
        1908,
        "doi:10.1093/biomet/6.1.1",
    ),
    Reference(
        "sun2024",
        "Sun Y, Chaudhari P, Barnett IJ, Dobriban E",
        "A confidence interval for the ℓ2 expected calibration error",
        "arXiv preprint",
        2024,
        "arXiv:2408.08998",
    ),
    Reference(
        "sun_xu2014",
        "Sun X, Xu W",
        "Fast implementation of DeLong's algorithm for comparing the areas under correlated "
        "receiver operating characteristic curves",
        "IEEE Signal Processing Letters 21(11):1389-1393",
        2014,
        "doi:10.1109/LSP.2014.2337313",
    ),
    Reference(
        "takahashi2022",
        "Takahashi K, Yamamoto K, Kuchiba A, Koyama T",
        "Confidence interval for micro-averaged F1 and macro-averaged F1 scores",
        "Applied Intelligence 52:4961-4972",
        2022,
        "doi:10.1007/s10489-021-02635-5",
    ),
    Reference(
        "tango1998",
        "Tango T",
        "Equivalence test and confidence interval for the difference in proportions for the "
        "paired-sample design",
        "Statistics in Medicine 17(8):891-908",
        1998,
        "doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
    ),
    Reference(
        "tukey1977",
        "Tukey JW",
        "Exploratory data analysis",
        "Addison-Wesley",
        1977,
    ),
    Reference(
        "tukey_mclaughlin1963",
        "Tukey JW, McLaughlin DH",
        "Less vulnerable confidence and significance procedures for location based on a single "
        "sample: trimming/winsorization 1",
        "Sankhyā A 25(3):331-352",
        1963,
    ),
    Reference(
        "vancalster2016",
        "Van Calster B, Nieboer D, Vergouwe Y, De Cock B, Pencina MJ, Steyerberg EW",
        "A calibration hierarchy for risk models was defined: from utopia to empirical data",
        "Journal of Clinical Epidemiology 74:167-176",
        2016,
        "doi:10.1016/j.jclinepi.2015.12.005",
    ),
    Reference(
        "vancalster2019",
        "Van Calster B, McLernon DJ, van Smeden M, Wynants L, Steyerberg EW",
        "Calibration: the Achilles heel of predictive analytics",
        "BMC Medicine 17:230",
        2019,
        "doi:10.1186/s12916-019-1466-7",
    ),
    Reference(
        "van_ginneken2010",
        "van Ginneken B, Armato SG, de Hoop B, et al.",
        "Comparing and combining algorithms for computer-aided detection of pulmonary nodules "
        "in computed tomography scans: the ANODE09 study",
        "Medical Image Analysis 14(6):707-722",
        2010,
        "doi:10.1016/j.media.2010.05.005",
    ),
    Reference(
        "van_rijsbergen1979",
        "van Rijsbergen CJ",
        "Information retrieval, 2nd edition",
        "Butterworths",
        1979,
    ),
    Reference(
        "vickers_elkin2006",
        "Vickers AJ, Elkin EB",
        "Decision curve analysis: a novel method for evaluating prediction models",
        "Medical Decision Making 26(6):565-574",
        2006,
        "doi:10.1177/0272989X06295361",
    ),
    Reference(
        "viechtbauer2005",
        "Viechtbauer W",
        "Bias and efficiency of meta-analytic variance estimators in the random-effects model",
        "Journal of Educational and Behavioral Statistics 30(3):261-293",
        2005,
        "doi:10.3102/10769986030003261",
    ),
    Reference(
        "wack2012",
        "Wack DS, Dwyer MG, Bergsland N, et al.",
        "Improved assessment of multiple sclerosis lesion segmentation agreement via detection and "
        "outline error estimates",
        "BMC Medical Imaging 12:17",
        2012,
        "doi:10.1186/1471-2342-12-17",
    ),
    Reference(
        "welch1947",
        "Welch BL",
        "The generalization of 'Student's' problem when several different population variances are "
        "involved",
        "Biometrika 34(1/2):28-35",
        1947,
        "doi:10.1093/biomet/34.1-2.28",
    ),
    Reference(
        "widmann2019",
        "Widmann D, Lindsten F, Zachariah D",
        "Calibration tests in multi-class classification: a unifying framework",
        "Advances in Neural Information Processing Systems 32, 12236-12246",
        2019,
        "arXiv:1910.11385",
    ),
    Reference(
        "wilcox2012",
        "Wilcox RR",
        "Introduction to robust estimation and hypothesis testing, 3rd edition",
        "Academic Press",
        2012,
    ),
    Reference(
        "wilcoxon1945",
        "Wilcoxon F",
        "Individual comparisons by ranking methods",
        "Biometrics Bulletin 1(6):80-83",
        1945,
    ),
    Reference(
        "williams1976",
        "Williams GW",
        "Comparing the joint agreement of several raters with another rater",
        "Biometrics 32(3):619-627",
        1976,
    ),
    Reference(
        "willmott2005",
        "Willmott CJ, Matsuura K",
        "Advantages of the mean absolute error (MAE) over the root mean square error (RMSE) "
        "in assessing average model performance",
        "Climate Research 30:79-82",
        2005,
        "doi:10.3354/cr030079",
    ),
    Reference(
        "wilson1927",
        "Wilson EB",
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association 22(158):209-212",
        1927,
        "doi:10.1080/01621459.1927.10502953",
    ),
    Reference(
        "youden1950",
        "Youden WJ",
        "Index for rating diagnostic tests",
        "Cancer 3(1):32-35",
        1950,
    ),
    Reference(
        "yang2012",
        "Yang Z, Sun X, Hardin JW",
        "Confidence intervals for the difference of marginal probabilities in clustered "
        "matched-pair binary data",
        "Pharmaceutical Statistics 11(5):386-393",
        2012,
        "doi:10.1002/pst.1523",
    ),
    Reference(
        "zielinski2005",
        "Zieliński R, Zieliński W",
        "Best exact nonparametric confidence intervals for quantiles",
        "Statistics 39(1):67-71",
        2005,
    ),
    Reference(
        "zou_donner2008",
        "Zou GY, Donner A",
        "Construction of confidence limits about effect measures: a general approach",
        "Statistics in Medicine 27(10):1693-1702",
        2008,
        "doi:10.1002/sim.3095",
    ),
)

REFERENCES: dict[str, Reference] = {reference.key: reference for reference in _ALL}


def cite(key: str) -> Reference:
    """The reference with this key.

    >>> cite("efron1987").short
    'Efron (1987)'
    """
    return REFERENCES[key]
