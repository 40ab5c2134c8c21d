import type { CodeTool } from '../define-tool.ts'
import { add } from './add.ts'
import { echo } from './echo.ts'
import { timestamp } from './timestamp.ts'

/** Free tools with which anybody can try a connection. */
export const basicTools: CodeTool[] = [add, echo, timestamp]
