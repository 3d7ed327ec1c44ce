// Parses a configuration file. One that cannot be parsed ends the import, since its rules would be lost silently.
import { Failure } from '../failure.ts'
import { clean } from '../output.ts'
import { type Fields, isFields } from './untrusted.ts'

export async function parseConfig(path: string, text: string): Promise<Fields> {
  const value = path.endsWith('.toml') ? await parseToml(path, text) : parseJson(path, text)
  if (isFields(value)) return value
  throw new Failure(
    `${path} is not a configuration: it holds no object. Correct it, and run 'svc import' again.`,
  )
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unreadable(path, 'JSON', error)
  }
}

/** The parser is loaded for TOML files only. */
async function parseToml(path: string, text: string): Promise<unknown> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    throw unreadable(path, 'TOML', error)
  }
}

function unreadable(path: string, format: string, error: unknown): Failure {
  const [first = ''] = (error instanceof Error ? error.message : '').split('\n')
  return new Failure(`${path} is not valid ${format}: ${clean(first).slice(0, 200)}`, {
    cause: error,
    hint: "Correct it, and run 'svc import' again. Nothing was created.",
  })
}
