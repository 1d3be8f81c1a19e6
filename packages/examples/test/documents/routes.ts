// docs/guides/routes.md: src/index.ts of a project.
// #region
import { serve } from "@svc-runtime/server"
import { place, read } from "./orders.ts"

serve({ routes: [read, place] })
// #endregion
