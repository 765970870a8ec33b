/** The public API of `advisory-chat-client/truncation`. */
export { mayBeTruncated } from '../client/chat/truncation.ts';
