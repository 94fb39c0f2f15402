/** SQL: applications that another server has, or will have. This one neither serves them nor sends for them. */
export const ELSEWHERE = `(SELECT application FROM application_move WHERE phase NOT IN ('leaving', 'here'))`
