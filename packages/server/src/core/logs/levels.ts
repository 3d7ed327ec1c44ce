// How serious a line of a log is, as far as its text says so.
import type { LogLine } from '../../ports/app-logs/port.ts'

export const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

/** What loggers call the levels. */
const names: Record<string, Level> = {
  trace: 'debug',
  verbose: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  log: 'info',
  warn: 'warn',
  warning: 'warn',
  err: 'error',
  error: 'error',
  critical: 'error',
  crit: 'error',
  alert: 'error',
  emerg: 'error',
  panic: 'error',
  fatal: 'error',
}

/** A level stands at the beginning of a line, or among the first fields of a structured one. */
const lookedAt = 300

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours for terminals begin with it
const colours = /\x1b\[[\d;]*m/g
const jsonField = /"(?:level|severity|lvl|levelname)" ?: ?(?:"(\w{1,10})"|(\d{1,3}))/i
const logfmtField = /\b(?:level|severity|lvl)="?(\w{1,10})/i
/** In capitals, such as `2026-11-16 10:00:00 ERROR …`, in brackets, or before a colon at the beginning. */
const capitals = /\b(TRACE|VERBOSE|DEBUG|INFO|NOTICE|WARN|WARNING|ERR|ERROR|CRITICAL|PANIC|FATAL)\b/
const bracketed = /[[(<](\w{1,10})[\])>]/
const leading = /^(\w{1,40}):/

export function levelOf({ source, text }: Pick<LogLine, 'source' | 'text'>): Level {
  if (source === 'platform') return 'info'
  return levelIn(text.slice(0, lookedAt).replace(colours, '')) ?? (source === 'stderr' ? 'error' : 'info')
}

function levelIn(text: string): Level | undefined {
  if (text.startsWith('{')) {
    const [, name, number] = jsonField.exec(text) ?? []
    return name === undefined ? levelOfNumber(number) : named(name)
  }
  const [, first = ''] = leading.exec(text) ?? []
  // `TypeError: …`, as JavaScript and Python write uncaught errors.
  if (first.endsWith('Error') || first.endsWith('Exception')) return 'error'
  return (
    named(first) ??
    named(logfmtField.exec(text)?.[1]) ??
    named(bracketed.exec(text)?.[1]) ??
    named(capitals.exec(text)?.[1])
  )
}

const named = (name: string | undefined): Level | undefined =>
  name !== undefined && Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : undefined

/** pino and bunyan write 10 for trace up to 60 for fatal. */
function levelOfNumber(number: string | undefined): Level | undefined {
  if (number === undefined) return undefined
  return levels[Math.max(0, Math.min(3, Math.floor(Number(number) / 10) - 2))]
}
