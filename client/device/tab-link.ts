import { noChannel, type TabChannel } from './tab-channel.ts';
import { readTabMessage, type TabMessage } from './tab-messages.ts';

/** The way to the other tabs of a person. Until it is connected nothing is told and nothing heard. */
export function createTabLink(openChannel: () => TabChannel, hear: (message: TabMessage) => void) {
  let channel = noChannel;

  return {
    tell: (message: TabMessage) => channel.post(message),

    /** Connects, until the returned function is called. */
    connect(): () => void {
      channel = openChannel();
      const stopListening = channel.listen((value) => {
        const message = readTabMessage(value);
        if (message) hear(message);
      });
      return () => {
        stopListening();
        channel.close();
        channel = noChannel;
      };
    },
  };
}
