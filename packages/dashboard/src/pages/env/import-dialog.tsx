// Sets all variables of a .env file that is pasted as a whole; what will happen is shown before it does.
import type { EnvScope, EnvVar } from '@svc/contract'
import { isInjected, parseDotenv, type Variable } from '@svc/contract/dotenv'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { formatCount } from '../../format.ts'
import styles from './import-dialog.module.css'
import { ScopeField } from './scope-field.tsx'
import { type Effect, setVariable, tell } from './variables.ts'
import { everywhere, isSame } from './with-variable.ts'

interface ImportDialogProps {
  project: string
  known: readonly EnvVar[]
  onClose: () => void
}

export function ImportDialog({ project, known, onClose }: ImportDialogProps) {
  const [text, setText] = useState('')
  const [scope, setScope] = useState<EnvScope | 'keep'>('keep')
  const { wanted, skipped, problem } = read(text)

  async function run() {
    let effect: Effect
    for (const variable of wanted)
      effect = (await setVariable(project, variable, scope === 'keep' ? undefined : scope)) ?? effect
    tell(project, `${formatCount(wanted.length, 'variable')} imported.`, effect)
    onClose()
  }

  return (
    <FormDialog
      title="Import a .env file"
      action={wanted.length === 0 ? 'Import' : `Import ${formatCount(wanted.length, 'variable')}`}
      disabled={wanted.length === 0}
      run={run}
      onClose={onClose}
    >
      <TextField
        label="Contents of the file"
        data-autofocus
        rows={9}
        placeholder={'# Paste it here\nAPI_URL=https://example.com\nTOKEN="…"'}
        value={text}
        error={problem}
        onChange={event => setText(event.target.value)}
      />
      <Found wanted={wanted} skipped={skipped} known={known} />
      <ScopeField options={['keep', 'runtime', 'build', 'both']} value={scope} onChange={setScope} />
    </FormDialog>
  )
}

interface Reading {
  wanted: Variable[]
  skipped: Variable[]
  problem?: string
}

function read(text: string): Reading {
  try {
    const all = parseDotenv(text)
    return {
      wanted: all.filter(({ key }) => !isInjected(key)),
      skipped: all.filter(({ key }) => isInjected(key)),
    }
  } catch (error) {
    const problem = explain(error)
    return { wanted: [], skipped: [], problem: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.` }
  }
}

function Found({ wanted, skipped, known }: Reading & { known: readonly EnvVar[] }) {
  const replaced = wanted.filter(({ key }) => known.some(other => isSame(other, { key, ...everywhere })))
  const added = wanted.filter(variable => !replaced.includes(variable))
  if (wanted.length + skipped.length === 0) return null
  return (
    <div className={styles.found} aria-live="polite">
      <Names label="New" of={added} />
      <Names label="Replaced" of={replaced} />
      <Names label="Skipped, since a platform sets them" of={skipped} />
    </div>
  )
}

function Names({ label, of }: { label: string; of: Variable[] }) {
  if (of.length === 0) return null
  return (
    <p>
      {label}: <code>{of.map(({ key }) => key).join(', ')}</code>
    </p>
  )
}
