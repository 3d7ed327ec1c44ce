# Opens connections to apps inside their network namespace, and passes the sockets to svcd. The same program for Node is
# src/ports/app-runtime/process/network/connector.mts. Perl starts with a tenth of the CPU time that Node needs, and uses a
# third of the memory.
#
# Perl has no function that passes file descriptors, so this program calls sendmsg itself. It speaks the protocol of Node's IPC
# channel: lines of JSON. A line that comes with a socket has the command NODE_HANDLE. The constants of Linux are written out,
# since Perl's own modules for them take long to load.
#
# usage: perl connector.pl <number of the system call sendmsg>
use strict;
my ($AF_INET, $AF_INET6, $SOCK_STREAM, $NONBLOCK, $TCP, $TCP_NODELAY, $SOL_SOCKET, $SO_ERROR, $EINPROGRESS)
  = (2, 10, 1, 2048, 6, 1, 1, 4, 115);
my ($sendmsg, $channel, $seconds) = ($ARGV[0], 3, 4);
open(my $svcd, '+<&=', $channel) or exit 1;

# Where apps listen. The address that worked last comes first.
my @families = ($AF_INET, $AF_INET6);
my %waiting; # by file descriptor
my $text = '';

while (1) {
  my ($readable, $writable) = ('', '');
  vec($readable, $channel, 1) = 1;
  vec($writable, $_, 1) = 1 for keys %waiting;
  my $changed = select($readable, $writable, undef, %waiting ? 1 : undef);
  if ($changed > 0 && vec($readable, $channel, 1)) {
    # svcd has ended, or needs this namespace no more.
    sysread($svcd, $text, 65536, length $text) or exit 0;
    while ($text =~ s/^([^\n]*)\n//) {
      try_next({ id => $1, port => $2, families => [@families] }) if $1 =~ /^\{"id":(\d+),"port":(\d+)\}$/;
    }
  }
  for my $fd (keys %waiting) {
    my $try = $waiting{$fd};
    my $is_done = $changed > 0 && vec($writable, $fd, 1);
    next unless $is_done || time > $try->{until};
    delete $waiting{$fd};
    $! = $is_done ? unpack('i', getsockopt($try->{socket}, $SOL_SOCKET, $SO_ERROR)) : 110;
    $! ? try_next($try) : hand_over($try);
  }
}

# Connects to the next address of the request, or says why none takes connections.
sub try_next {
  my ($try) = @_;
  my $error = "$!";
  my $family = shift @{$try->{families}};
  return say_line(qq({"id":$try->{id},"error":"connect: $error"})) unless defined $family;
  @$try{qw(family until)} = ($family, time + $seconds);
  socket($try->{socket}, $family, $SOCK_STREAM | $NONBLOCK, 0) or return try_next($try);
  setsockopt($try->{socket}, $TCP, $TCP_NODELAY, 1);
  my $address = $family == $AF_INET
    ? pack('S n C4 x8', $family, $try->{port}, 127, 0, 0, 1)
    : pack('S n N x15 C N', $family, $try->{port}, 0, 1, 0);
  return hand_over($try) if connect($try->{socket}, $address);
  return try_next($try) unless $! == $EINPROGRESS;
  $waiting{fileno $try->{socket}} = $try;
}

# Sends the connection to svcd, with struct msghdr, one struct iovec and one struct cmsghdr of 64-bit Linux.
sub hand_over {
  my ($try) = @_;
  @families = ($try->{family}, grep { $_ != $try->{family} } @families);
  my $line = qq({"cmd":"NODE_HANDLE","type":"net.Socket","msg":{"id":$try->{id}}}\n);
  my $control = pack('Q i i i x4', 20, $SOL_SOCKET, 1, fileno $try->{socket});
  my $vector = pack('P Q', $line, length $line);
  my $message = pack('Q Q P Q P Q i x4', 0, 0, $vector, 1, $control, length $control, 0);
  syscall($sendmsg, $channel, $message, 0) == length $line or exit 1;
  close $try->{socket};
}

sub say_line {
  my ($line) = @_;
  syswrite($svcd, "$line\n") or exit 1;
}
