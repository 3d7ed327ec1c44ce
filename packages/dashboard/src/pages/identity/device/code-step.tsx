import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { codeOf, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { Gate, GateForm } from '../../../components/gate.tsx'
import { leaving, useWork } from '../../../use-work.ts'
import { type DeviceRequest, findDeviceRequest } from './device-request.ts'
import { caretIn, formatUserCode, isCompleteUserCode } from './user-code.ts'

const unknownCode = new Set(['not_found', 'expired_token'])

function problem(error: unknown): string {
  if (!unknownCode.has(codeOf(error))) return explain(error)
  return 'This code is unknown, used or expired. Check it, or run svc login again.'
}

interface CodeStepProps {
  given: string
  onFound: (request: DeviceRequest) => void
}

export function CodeStep({ given, onFound }: CodeStepProps) {
  const [code, setCode] = useState(given)
  const [error, setError] = useState<string>()
  const { busy, run } = useWork(failure => setError(problem(failure)))
  const input = useRef<HTMLInputElement | null>(null)
  const caret = useRef<number | null>(null)

  // React puts the caret at the end when a value was reformatted; edits in the middle must stay there.
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })

  function find(wanted: string) {
    if (!isCompleteUserCode(wanted)) return setError('Enter all eight characters.')
    run(async () => {
      setError(undefined)
      onFound(await findDeviceRequest(wanted))
      return leaving
    })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a code in the address is looked up once, on arrival
  useEffect(() => {
    if (isCompleteUserCode(given)) find(given)
  }, [])

  return (
    <Gate title="Connect a device" lead="Enter the code that svc login shows in your terminal.">
      <GateForm onSubmit={() => find(code)}>
        <Field
          label="Code"
          name="code"
          look="code"
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="characters"
          placeholder="XXXX-XXXX"
          value={code}
          error={error}
          onChange={event => {
            const { value, selectionStart } = event.target
            const formatted = formatUserCode(value)
            input.current = event.target
            caret.current = caretIn(formatted, value, selectionStart ?? value.length)
            setCode(formatted)
          }}
        />
        <Button type="submit" look="primary" size="large" busy={busy}>
          Continue
        </Button>
      </GateForm>
    </Gate>
  )
}
