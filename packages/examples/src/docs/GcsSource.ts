import { GcsSource, Knowledge } from "@svc-runtime/server"

const reports = GcsSource.make({
  id: "reports",
  bucket: "company-reports",
  serviceAccount: process.env["REPORTS_KEY_FILE"] ?? "",
  sync: "1 hour"
})

Knowledge.make({ name: "handbook", sources: [reports] })
