import { Knowledge, SharePointSource } from "@svc-runtime/server"

const policies = SharePointSource.make({
  id: "policies",
  tenantId: process.env["TENANT_ID"] ?? "",
  clientId: process.env["CLIENT_ID"] ?? "",
  clientSecret: process.env["CLIENT_SECRET"] ?? "",
  hostname: "company.sharepoint.com",
  sitePath: "sites/policies"
})

Knowledge.make({ name: "handbook", sources: [policies] })
