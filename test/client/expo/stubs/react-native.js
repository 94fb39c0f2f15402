import { phone } from 'phone'

export const Platform = {
  get OS() {
    return phone.os
  },
}
export const AppState = { addEventListener: (event, listener) => phone.listen(event, listener) }
