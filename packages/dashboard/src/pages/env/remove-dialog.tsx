import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { removeVariable, tell } from './variables.ts'
import { type VariableId, variableName } from './with-variable.ts'

interface RemoveDialogProps {
  project: string
  variable: VariableId
  onClose: () => void
}

export function RemoveDialog({ project, variable, onClose }: RemoveDialogProps) {
  async function run() {
    tell(project, `${variableName(variable)} was removed.`, await removeVariable(project, variable))
  }

  return (
    <ConfirmDialog
      title="Remove this variable?"
      action="Remove variable"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        <code>{variableName(variable)}</code> and its value are removed for good. Keep a copy of the value
        elsewhere if you may need it again.
      </p>
    </ConfirmDialog>
  )
}
