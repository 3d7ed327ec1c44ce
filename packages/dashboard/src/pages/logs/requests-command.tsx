// The command that shows the same requests in a terminal.
import { useFilters } from './filter-bar.tsx'

const options = ['status', 'method', 'host', 'path', 'deployment', 'request']

export function RequestsCommand({ project }: { project: string }) {
  const filters = useFilters()
  const given = options.filter(name => filters.get(name) !== '')
  const words = given.map(name => `--${name} ${shellWord(filters.get(name))} `)
  return (
    <>
      svc logs --requests {words.join('')}-f --project {project}
    </>
  )
}

/** The text as one word of a shell. A path may come from a stranger's request. */
const shellWord = (text: string): string =>
  /^[\w./@:+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
