import { useEffect } from 'preact/hooks'
import type { OverviewAnswer } from '../../admin/api-types/overview-types.ts'
import { publicUrl } from './curl.ts'
import { useResource } from './resource.ts'

/** Where the public API is, as the service knows it. */
export function usePublicUrl(): string {
  const { value: told } = useResource<OverviewAnswer>('/api/overview')
  useEffect(() => {
    if (told !== null) publicUrl.value = told.url
  }, [told])
  return publicUrl.value
}
