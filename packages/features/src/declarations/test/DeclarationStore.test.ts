import * as MemoryDeclarationStore from "../MemoryDeclarationStore.ts"
import * as DeclarationStoreSuite from "./DeclarationStoreSuite.ts"

DeclarationStoreSuite.suite("in memory", MemoryDeclarationStore.layer)
