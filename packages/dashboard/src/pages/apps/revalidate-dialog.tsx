// Makes the edge forget pages of a server app, so that they are fetched again.
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { call } from '../../api.ts'
import { TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatCount } from '../../format.ts'

export function RevalidateDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const [text, setText] = useState('/')
  const paths = text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  const problem = problemOf(paths)

  async function run() {
    const { evicted } = await call('POST /projects/:name/revalidate', {
      params: { name: project },
      body: { paths },
    })
    const pages = formatCount(new Set(paths).size, 'path')
    const dropped = formatCount(evicted, 'stored answer')
    notify({ tone: 'ok', text: `${pages} will be fetched again; ${dropped} dropped.` })
    onClose()
  }

  return (
    <FormDialog
      title="Revalidate pages"
      action="Revalidate"
      disabled={paths.length === 0 || problem !== undefined}
      run={run}
      onClose={onClose}
    >
      <p>
        Pages that your app lets the edge keep are served from its memory. It forgets these at once, with all
        their query strings, and asks the app for them at the next visit.
      </p>
      <TextField
        label="Paths, one a line"
        data-autofocus
        rows={5}
        placeholder={'/\n/blog/first-post'}
        value={text}
        error={problem}
        onChange={event => setText(event.target.value)}
      />
    </FormDialog>
  )
}

function problemOf(paths: string[]): string | undefined {
  const wrong = paths.find(path => !path.startsWith('/'))
  if (wrong !== undefined) return `A path begins with a slash: /${wrong}`
  return paths.length > limits.revalidatePaths ? `At most ${limits.revalidatePaths} at once.` : undefined
}
