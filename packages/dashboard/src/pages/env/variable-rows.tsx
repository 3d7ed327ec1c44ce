// The variables of a project: values are masked until someone asks for them.
import type { EnvVar } from '@svc/contract'
import { targetWords } from '@svc/contract/environments'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { scopeWord } from './scope-field.tsx'
import styles from './variable-rows.module.css'
import { variableName } from './with-variable.ts'

/** Variables of both builds and apps, and those of builds alone, stand out. */
const toneOf = { runtime: undefined, build: 'blue', both: 'violet' } as const

interface VariableRowsProps {
  variables: readonly EnvVar[]
  onEdit: (variable: EnvVar) => void
  onRemove: (variable: EnvVar) => void
}

export function VariableRows({ variables, onEdit, onRemove }: VariableRowsProps) {
  return (
    <Rows columns="minmax(0, 5fr) minmax(0, 6fr) 4.5rem auto" end="side">
      {variables.map(variable => (
        <VariableRow
          key={variableName(variable)}
          variable={variable}
          onEdit={() => onEdit(variable)}
          onRemove={() => onRemove(variable)}
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
  const name = variableName(variable)
  const words = targetWords(variable)
  const [shown, setShown] = useState(false)
  return (
    <Row>
      <div>
        <p className={styles.key}>{key}</p>
        <p className={styles.when}>
          {words !== '' && `Only ${words}. `}Changed <TimeAgo at={updated_at} />
        </p>
      </div>
      <div className={styles.value}>
        {value === null ? (
          <em className={styles.empty}>secret: cannot be shown</em>
        ) : (
          <>
            <Value value={value} shown={shown} />
            <IconButton
              size="small"
              icon={shown ? 'eyeOff' : 'eye'}
              label={shown ? `Hide the value of ${name}` : `Show the value of ${name}`}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            />
            <CopyButton text={value} label={`Copy the value of ${name}`} />
          </>
        )}
      </div>
      <p>
        <Tag tone={toneOf[scope]}>{scopeWord(scope)}</Tag>
      </p>
      <div className={styles.actions}>
        <IconButton size="small" icon="pencil" label={`Edit ${name}`} onClick={onEdit} />
        <IconButton size="small" icon="trash" label={`Remove ${name}`} onClick={onRemove} />
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
