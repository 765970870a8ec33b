import { type ErrorCode, errors } from '../../shared/errors.ts';

/** Every code of the error table, to iterate over. */
export const errorCodes = Object.keys(errors).filter((name): name is ErrorCode => Object.hasOwn(errors, name));
