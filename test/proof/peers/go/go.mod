module bellhop/proof

go 1.19
