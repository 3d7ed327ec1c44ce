// Asks for the label and the kind of a new token.
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { type Choice, Choices } from './choices.tsx'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface TokenFormProps<Kind extends string> {
  title: string
  /** The first one is chosen at the beginning. */
  kinds: readonly [Choice<Kind>, ...Choice<Kind>[]]
  create: (kind: Kind, label: string) => Promise<void>
  onClose: () => void
}

export function TokenForm<Kind extends string>({ title, kinds, create, onClose }: TokenFormProps<Kind>) {
  const [kind, setKind] = useState<Kind>(kinds[0].value)
  const [label, setLabel] = useState('')
  return (
    <FormDialog title={title} action="Create token" run={() => create(kind, label.trim())} onClose={onClose}>
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
    </FormDialog>
  )
}
