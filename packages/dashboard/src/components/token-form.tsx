// Asks for the label, the kind, the project and the lifetime of a new token.
import { dayMs } from '@svc/contract/durations'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { type Choice, Choices } from './choices.tsx'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { SelectField } from './select.tsx'

export interface NewToken {
  label?: string
  expires_at?: string
  /** The only project that it reaches. */
  project?: string
}

/** Days; empty for a token that never expires. */
const lives = [
  { value: '7', title: '7 days' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: '1 year' },
  { value: '', title: 'Never' },
] as const

type Life = (typeof lives)[number]['value']

const expiry = (life: Life): NewToken =>
  life ? { expires_at: new Date(Date.now() + Number(life) * dayMs).toISOString() } : {}

interface TokenFormProps<Kind extends string> {
  title: string
  /** The first one is selected by default. */
  kinds: readonly [Choice<Kind>, ...Choice<Kind>[]]
  /** The names of the projects that a token of the kind can be limited to. */
  projects: Partial<Record<Kind, readonly string[]>>
  create: (kind: Kind, token: NewToken) => Promise<void>
  onClose: () => void
}

export function TokenForm<Kind extends string>({
  title,
  kinds,
  projects,
  create,
  onClose,
}: TokenFormProps<Kind>) {
  const [kind, setKind] = useState<Kind>(kinds[0].value)
  const [label, setLabel] = useState('')
  const [life, setLife] = useState<Life>('90')
  const [project, setProject] = useState('')
  const choices = projects[kind]
  const run = () =>
    create(kind, {
      ...(label.trim() && { label: label.trim() }),
      ...expiry(life),
      ...(choices && project && { project }),
    })
  return (
    <FormDialog title={title} action="Create token" run={run} onClose={onClose}>
      <Field
        label="Label"
        optional
        name="label"
        data-autofocus
        autoComplete="off"
        maxLength={limits.tokenLabel}
        placeholder="Deploys from CI"
        value={label}
        onChange={event => setLabel(event.target.value)}
      />
      <Choices legend="Kind" name="kind" choices={kinds} value={kind} onChoose={setKind} />
      {choices && (
        <SelectField
          label="Projects"
          name="project"
          value={project}
          options={[
            { value: '', title: 'All projects' },
            ...choices.map(name => ({ value: name, title: `Only ${name}` })),
          ]}
          onChoose={setProject}
        />
      )}
      <SelectField label="Expires after" name="life" value={life} options={lives} onChoose={setLife} />
    </FormDialog>
  )
}
