// Structured logs on stderr: JSON lines, or something for human eyes where a terminal reads along.
import { type Logger, pino } from 'pino'
import type { Settings } from './config.ts'

export function createLog(settings: Settings): Logger {
  const options = { level: settings.logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  if (process.stderr.isTTY) return pino(options, { write: line => process.stderr.write(humanLine(line)) })
  return pino(options, pino.destination({ dest: 2, sync: true }))
}

function humanLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown> & {
    err?: { stack?: string }
  }
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const head = `${String(time).slice(11, 19)} ${pino.levels.labels[Number(level)]?.padEnd(5)} ${msg}`
  return `${[head, ...details].join('  ')}\n${err?.stack ? `${err.stack}\n` : ''}`
}
