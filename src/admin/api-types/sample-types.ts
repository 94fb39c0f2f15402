/** `GET /api/samples` */
export interface SamplesAnswer {
  readonly samples: readonly {
    /** `iOS` */
    readonly title: string
    /** Each is a file. */
    readonly code: readonly string[]
  }[]
}
