// Which lines of a log a reader wants to see.
import type { LogLine } from '../../ports/app-logs/port.ts'
import { type Level, levelOf, levels } from './levels.ts'

export interface LogFilter {
  deployment?: string | undefined
  instance?: string | undefined
  stream?: LogLine['source'] | undefined
  /** The least serious level. */
  level?: Level | undefined
  /** A part of the text, in capitals or not. */
  search?: string | undefined
}

export function lineFilter(filter: LogFilter): (line: LogLine) => boolean {
  const { deployment, instance, stream, level } = filter
  const search = filter.search?.toLowerCase()
  const least = level === undefined ? 0 : levels.indexOf(level)
  return line =>
    (deployment === undefined || line.deploymentId === deployment) &&
    (instance === undefined || line.instanceId === instance) &&
    (stream === undefined || line.source === stream) &&
    (least === 0 || levels.indexOf(levelOf(line)) >= least) &&
    (search === undefined || line.text.toLowerCase().includes(search))
}
