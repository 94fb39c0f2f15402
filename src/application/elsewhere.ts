/**
 * In a statement: numbers of the applications whose rows are here and which this server neither serves nor sends for, since
 * another has them, or is to have them. Empty but for the time of a move.
 */
export const ELSEWHERE = `(SELECT application FROM application_move WHERE phase NOT IN ('leaving', 'here'))`
