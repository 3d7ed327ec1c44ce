// The variables of a project: values are masked until someone asks for them.
import type { EnvVar } from '@svc/contract'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { scopeWord } from './scope-field.tsx'
import styles from './variable-rows.module.css'

interface VariableRowsProps {
  variables: readonly EnvVar[]
  onEdit: (variable: EnvVar) => void
  onRemove: (key: string) => void
}

export function VariableRows({ variables, onEdit, onRemove }: VariableRowsProps) {
  return (
    <Rows columns="minmax(0, 5fr) minmax(0, 6fr) 4.5rem auto" end="side">
      {variables.map(variable => (
        <VariableRow
          key={variable.key}
          variable={variable}
          onEdit={() => onEdit(variable)}
          onRemove={() => onRemove(variable.key)}
        />
      ))}
    </Rows>
  )
}

interface VariableRowProps {
  variable: EnvVar
  onEdit: () => void
  onRemove: () => void
}

function VariableRow({ variable, onEdit, onRemove }: VariableRowProps) {
  const { key, value, scope, updated_at } = variable
  const [shown, setShown] = useState(false)
  return (
    <Row>
      <div>
        <p className={styles.key}>{key}</p>
        <p className={styles.when}>
          Changed <TimeAgo at={updated_at} />
        </p>
      </div>
      <div className={styles.value}>
        <Value value={value} shown={shown} />
        <IconButton
          size="small"
          icon={shown ? 'eyeOff' : 'eye'}
          label={shown ? `Hide the value of ${key}` : `Show the value of ${key}`}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        />
        <CopyButton text={value} label={`Copy the value of ${key}`} />
      </div>
      <p className={styles.scope} data-scope={scope}>
        {scopeWord(scope)}
      </p>
      <div className={styles.actions}>
        <IconButton size="small" icon="pencil" label={`Edit ${key}`} onClick={onEdit} />
        <IconButton size="small" icon="trash" label={`Remove ${key}`} onClick={onRemove} />
      </div>
    </Row>
  )
}

/** The mask is as long for every value, so that it tells nothing. */
function Value({ value, shown }: { value: string; shown: boolean }) {
  if (!shown)
    return (
      <span className={styles.mask}>
        <span aria-hidden="true">••••••••••••</span>
        <span className="visually-hidden">hidden</span>
      </span>
    )
  return value === '' ? <em className={styles.empty}>empty</em> : <code className={styles.text}>{value}</code>
}
