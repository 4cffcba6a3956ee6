"""The front desk: takes what people say, decides, starts a run, hands the reply out."""
