import { serve } from "@svc-runtime/server"
import { application } from "./service.ts"

serve(application)
