import { serve } from "@svc-runtime/server"
import { service } from "./service.ts"

serve(service)
