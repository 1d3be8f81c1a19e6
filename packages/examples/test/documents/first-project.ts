// docs/start/first-project.md: src/index.ts of the project.
// #region
import { serve } from "@svc-runtime/server"
import { branch, clerk, desk, order, sorter } from "./shop.ts"

serve({ name: "shop", agents: [clerk, sorter, branch], teams: [desk], workflows: [order] })
// #endregion
