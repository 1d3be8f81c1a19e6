import { AzureBlobSource, Knowledge } from "@svc-runtime/server"

const contracts = AzureBlobSource.make({
  id: "contracts",
  account: "company",
  container: "contracts",
  sasToken: process.env["CONTRACTS_SAS"] ?? ""
})

Knowledge.make({ name: "legal", sources: [contracts] })
