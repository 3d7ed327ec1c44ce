// The device login that a code stands for.
import { call } from '../../../api.ts'

export interface DeviceRequest {
  user_code: string
  created_at: string
  ip: string
  user_agent: string
}

export const findDeviceRequest = (code: string): Promise<DeviceRequest> =>
  call('GET /auth/device/:user_code', { params: { user_code: code } })
