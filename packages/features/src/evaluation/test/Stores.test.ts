import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as DatasetStoreSuite from "./DatasetStoreSuite.ts"
import * as EvalRunStoreSuite from "./EvalRunStoreSuite.ts"
import * as ExperimentStoreSuite from "./ExperimentStoreSuite.ts"

everyStore(DatasetStoreSuite.suite)
everyStore(EvalRunStoreSuite.suite)
everyStore(ExperimentStoreSuite.suite)
